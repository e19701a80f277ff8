package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/physics/machinery/testkit"
)

// cluster starts Slurm's own daemons with this machine as the only node, and returns the
// environment in which its commands reach them.
func cluster(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"slurmctld", "slurmd", "sbatch", "squeue", "sinfo"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (apt-get install slurm-wlm)", name)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("slurmd wants to be root")
	}
	dir := t.TempDir()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ = strings.Cut(name, ".")
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := writeFile(t, filepath.Join(dir, "slurm.conf"), fmt.Sprintf(`ClusterName=one
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/control.pid
SlurmdPidFile=%[2]s/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=%[1]s NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=main Nodes=%[1]s Default=YES OverSubscribe=FORCE:2 MaxTime=INFINITE State=UP
`, name, dir, ports[0], ports[1]))
	env := append(os.Environ(), "SLURM_CONF="+file)
	for _, daemon := range [][]string{{"slurmctld", "-D", "-c", "-f", file}, {"slurmd", "-D", "-f", file}} {
		c := exec.Command(daemon[0], daemon[1:]...)
		c.Env = env
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Wait()
		})
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		c := exec.Command("sinfo", "--noheader", "--format=%T")
		c.Env = env
		if out, err := c.Output(); err == nil && strings.TrimSpace(string(out)) == "idle" {
			return env
		}
	}
	t.Skip("Slurm does not start here")
	return nil
}

// A sweep as a job array of a real Slurm, cancelled in its middle and submitted again, gives
// the table of one machine.
func TestSweepOnSlurm(t *testing.T) {
	testkit.Slow(t)
	env := append(cluster(t), asProgram+"=1")
	dir := t.TempDir()
	sheet := writeFile(t, filepath.Join(dir, "beads.toml"), fmt.Sprintf("scene = %q\nseconds = 1\nevery = 0.01\n[grid]\ndamping = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\npath = [\"sliding\"]\n", beadScene(t)))
	alone, array := filepath.Join(dir, "alone"), filepath.Join(dir, "array")
	for _, args := range [][]string{{"sweep", sheet, "--out", alone}, {"sweep", sheet, "--out", array, "--slurm"}} {
		if status, _, errors := hapco(t, args...); status != 0 {
			t.Fatal(errors)
		}
	}
	script, err := os.ReadFile(filepath.Join(array, "sweep.sbatch"))
	if err != nil {
		t.Fatal(err)
	}
	// The script names the program that wrote it: here the tests' own, told to be hapco.
	job := writeFile(t, filepath.Join(dir, "job.sh"), strings.Replace(string(script), "test sweep", "test -test.run='^TestAsProgram$' -- sweep", 1))
	finished := func() int {
		rows, _ := os.ReadDir(filepath.Join(array, "rows"))
		return len(rows)
	}
	slurm := func(args ...string) string {
		t.Helper()
		c := exec.Command(args[0], args[1:]...)
		c.Env = env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	wait := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(testkit.Hang); !ok(); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				log, _ := filepath.Glob(filepath.Join(array, "*.log"))
				t.Fatalf("waited in vain for %s; %d rows, logs %v, queue:\n%s", what, finished(), log, slurm("squeue"))
			}
		}
	}
	id := slurm("sbatch", "--parsable", job)
	wait("the first row", func() bool { return finished() > 0 })
	slurm("scancel", id)
	wait("the end of the cancelled", func() bool { return slurm("squeue", "--noheader") == "" })
	slurm("sbatch", "--parsable", job)
	wait("all rows", func() bool { return finished() == 6 && slurm("squeue", "--noheader") == "" })
	if status, _, errors := hapco(t, "sweep", sheet, "--out", array, "--merge"); status != 0 {
		t.Fatal(errors)
	}
	_, want := table(t, alone)
	_, got := table(t, array)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 6 {
		t.Errorf("Slurm's table is %v, want %v", got, want)
	}
}

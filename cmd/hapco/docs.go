package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/manual"
	"hapco/docs"
	"hapco/haptics/doctor"
	"hapco/haptics/spacenav"
	"hapco/physics/files/atomicfile"
	"hapco/ui"
)

// docsCommand prints or opens the documentation, and writes what packages need of it.
type docsCommand struct {
	Page  string `arg:"" optional:"" help:"Page to print; without it, a list of all."`
	Open  bool   `help:"Open the page in the desktop's viewer instead of printing it."`
	Write string `help:"Write manual pages, shell completion, udev rules and reference.md into this folder." type:"path" placeholder:"DIR"`

	model *kong.Application
}

// AfterApply learns of all commands.
func (c *docsCommand) AfterApply(k *kong.Kong) error {
	c.model = k.Model
	return nil
}

// Run prints, opens or writes.
func (c *docsCommand) Run(ctx context.Context) error {
	switch {
	case c.Write != "":
		return writeManual(c.Write, c.model)
	case c.Page == "":
		listDocs()
		return nil
	}
	text, ok := docs.Page(c.Page)
	if !ok {
		return app.BadInput(fmt.Errorf("docs: there is no page %s (cure: one of %s)", c.Page, strings.Join(docs.Names(), ", ")))
	}
	if c.Open {
		return openPage(ctx, c.Page, text)
	}
	_, err := io.WriteString(app.Stdout, text)
	return err
}

// listDocs prints each page's name and title.
func listDocs() {
	for _, name := range docs.Names() {
		text, _ := docs.Page(name)
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		fmt.Fprintf(app.Stdout, "%-14s %s\n", name, title)
	}
	fmt.Fprintln(app.Stdout, "\nhapco docs PAGE prints one, hapco docs PAGE --open shows it in the desktop's viewer.")
}

// openPage puts the page where the desktop's viewer can read it.
func openPage(ctx context.Context, name, text string) error {
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "hapco", "docs")
		err = os.MkdirAll(cache, 0o755)
	}
	if err != nil {
		return err
	}
	file := filepath.Join(cache, name+".md")
	if err := atomicfile.Write(file, atomicfile.Bytes([]byte(text))); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, "xdg-open", file).Run(); err != nil {
		return fmt.Errorf("docs: xdg-open %s: %w (cure: install xdg-utils, or hapco docs %s without --open)", file, err, name)
	}
	return nil
}

// udevRules let users open haptic devices without being root.
var udevRules = "# Rights on haptic devices for whoever sits at the machine.\n" + doctor.TouchRule + "\n" + spacenav.UdevRule + "\n"

// writeManual writes what packages need.
func writeManual(dir string, model *kong.Application) error {
	all, keys := manual.Of(model), ui.Bindings()
	facts := app.Facts()
	date, _, _ := strings.Cut(facts.Time, "T")
	files := map[string]string{
		"man/man1/hapco.1":      manual.MainPage(all, keys, model.Help, date, facts.Version),
		"completion/hapco":      manual.Bash(all),
		"completion/_hapco":     manual.Zsh(all),
		"completion/hapco.fish": manual.Fish(all),
		"udev/70-hapco.rules":   udevRules,
		"reference.md":          manual.Reference(all, keys),
	}
	for i := range all {
		files["man/man1/hapco-"+strings.ReplaceAll(all[i].Path, " ", "-")+".1"] = all[i].Page(date, facts.Version)
	}
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return app.BadInput(fmt.Errorf("docs: --write: %w (cure: a folder that may be written)", err))
		}
		if err := app.WriteOut(at, atomicfile.Bytes([]byte(text))); err != nil {
			return fmt.Errorf("docs: --write: %w", err)
		}
	}
	return nil
}

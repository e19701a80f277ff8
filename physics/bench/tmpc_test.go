package bench
import ("testing";"fmt";"slices";"time";"os"
"hapco/physics/contact")
func TestTmpFine(t *testing.T){
 for _,cs:=range []struct{b,pair,clamp string}{{"A36","alu-tissue","end"},{"A36","alu-rubber","end"},{"A36","tissue-tissue","end"},{"B66","alu-tissue","end"},{"B66","tissue-tissue","end"}} {
 for _,path:=range []string{"pen","slide"} {
  r,err:=New(Case{Bench:cs.b,Pair:cs.pair,Clamp:cs.clamp,Path:path,Mu:0.3}); if err!=nil {t.Fatal(err)}
  var fine []vec; prev:=vec{}
  for _,d:=range r.path { for k:=1;k<=10;k++ { f:=float64(k)/10; fine=append(fine, vec{prev[0]+f*(d[0]-prev[0]),prev[1]+f*(d[1]-prev[1]),prev[2]+f*(d[2]-prev[2])}) }; prev=d }
  r.path=fine
  name:=os.Getenv("S"); if name=="" {name="auto"}
  s,_:=contact.New(name); ref,_:=contact.New("nsgs-newton")
  var f,g []float64
  var ts []time.Duration; its,newt,bad,sl:=0,0,0,0
  st:=make([]contact.Status,200)
  routes:=map[string]int{}
  for r.Next() {
    n:=r.Problem.N
    if len(f)!=3*n { f=make([]float64,3*n); g=make([]float64,3*n) }
    opt:=contact.DefaultOptions(); opt.Tolerance,opt.Criterion=1e-8,contact.NaturalMap
    res:=s.Solve(&r.Problem,f,&opt)
    ts=append(ts,res.Elapsed); its+=res.Iterations; newt+=res.Newton
    routes[res.Route.String()]++
    if !res.Converged {bad++}
    _,b,_:=contact.Statuses(st[:n],f,r.Problem.Mu); sl+=b
    copy(g,f)
    o2:=opt; o2.Tolerance=1e-12
    r2:=ref.Solve(&r.Problem,g,&o2); if !r2.Converged {bad+=1000; if os.Getenv("V")!="" {fmt.Println(r2)}}
    r.Accept(g)
  }
  slices.Sort(ts); n:=len(ts)
  fmt.Printf("%v %v %v %v: n=%d median %v p90 %v p99 %v max %v its %.1f newton %.1f slip %.1f bad %d %v\n",cs.b,cs.pair,path,r.Problem.N,n,ts[n/2],ts[n*9/10],ts[n*99/100],ts[n-1],float64(its)/float64(n),float64(newt)/float64(n),float64(sl)/float64(n),bad,routes)
 }}
}
func TestTmpAll(t *testing.T){
 s,_:=contact.New("auto"); ref,_:=contact.New("nsgs-newton")
 for _,b:=range []string{"A36","A16","B66","C36"} {
 for _,pair:=range []string{"alu-tissue","alu-rubber","tissue-tissue"} {
 for _,clamp:=range []string{"end","bottom"} {
 r,err:=New(Case{Bench:b,Pair:pair,Clamp:clamp,Path:"pen",Mu:0.3}); if err!=nil {t.Fatal(err)}
 for _,path:=range []string{"pen","slide"} { 
 for _,mu:=range []float64{0,0.1,0.3,0.7,1} {
  if err:=r.SetPath(path);err!=nil {t.Fatal(err)}
  r.Restart(mu)
  var bad,bad2,n int; var ts,tr time.Duration; newt:=0
  for r.Next() {
    f:=make([]float64,3*r.Problem.N)
    opt:=contact.DefaultOptions(); opt.Tolerance,opt.Criterion=1e-8,contact.NaturalMap
    res:=s.Solve(&r.Problem,f,&opt); ts+=res.Elapsed; newt+=res.Newton
    if !res.Converged {bad++}
    clear(f)
    opt.Tolerance=1e-12
    r2:=ref.Solve(&r.Problem,f,&opt); tr+=r2.Elapsed
    if !r2.Converged || !res.Converged || res.Newton>150 { k:=0; if !res.Converged {k=1}; if !r2.Converged {k+=2}
      fl,_:=os.Create(fmt.Sprintf("/tmp/hard/%s_%s_%s_%s_mu%g_%02d_k%d.fc3d",b,pair,clamp,path,mu,n,k)); contact.WriteFC3D(fl,&r.Problem,nil); fl.Close() }
    if !r2.Converged {bad2++; fmt.Println("   ",r2)}
    r.Accept(f); n++
  }
  fmt.Printf("%s %s %s %s mu=%g: bad %d/%d %d  auto mean %v newton %.1f ref %v\n",b,pair,clamp,path,mu,bad,n,bad2,ts/time.Duration(n),float64(newt)/float64(n),tr/time.Duration(n))
 }}}}}
}

package ui

import (
	"bytes"
	"cmp"
	"image"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics/machinery/failsafe"
	"hapco/render"
)

// gallery is the start page: pictures of the scenes, a search, and recent files.
type gallery struct {
	open   bool
	search string
	before string // the search at the start of this picture: Escape gives a field its first text back
	focus  focus  // of the search
	group  string // "": all
	enter  bool   // pressed in this picture: a scene is to open

	textures map[string]uint32
	decoded  chan galleryPicture // from the goroutine that unpacks them; nil before it starts
}

type galleryPicture struct {
	scene string
	image *image.RGBA
}

// Sizes at scale 1, pixels.
const (
	leastCard   = 216.0
	cardText    = 82.0 // below the picture
	pictureHigh = 0.625
)

// showGallery leaves the scene, which goes on without a hand, for the start page.
func (lib *library) showGallery() {
	lib.home.open = true
	lib.gui.focus(&lib.home.focus)
	lib.viewport.mouse.held = false
	if lib.scene.session != nil {
		if p := lib.scene.session.Pointer(); p != nil {
			p.SetClutch(true)
		}
	}
}

// leaveGallery empties the search; from an empty one it goes back to the scene, where there is one.
func (lib *library) leaveGallery() {
	if lib.home.search != "" || lib.home.before != "" {
		lib.home.search = ""
		lib.gui.focus(&lib.home.focus) // for the next one
	} else if lib.scene.session != nil {
		lib.home.open, lib.viewport.mouse.held = false, true
	}
}

// unpackPictures decodes them beside the frames: fifty take a tenth of a second.
func (lib *library) unpackPictures() {
	s := &lib.home
	if s.decoded != nil {
		return
	}
	s.textures = map[string]uint32{}
	done := make(chan galleryPicture, len(lib.opt.Scenes))
	s.decoded = done
	scenes := lib.opt.Scenes
	failsafe.Go(func() {
		for i := range scenes {
			img, err := jpeg.Decode(bytes.NewReader(scenes[i].Picture))
			if err != nil {
				continue // the card stays without one
			}
			b := img.Bounds()
			flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
			draw.Draw(flat, flat.Rect, img, b.Min, draw.Src)
			done <- galleryPicture{scenes[i].Name, flat}
		}
	})
}

// takePictures hands a few of the decoded ones to the graphics card.
func (s *gallery) takePictures() {
	for range 6 {
		select {
		case p := <-s.decoded:
			s.textures[p.scene] = newTexture(p.image)
		default:
			return
		}
	}
}

func newTexture(img *image.RGBA) (id uint32) {
	gl.GenTextures(1, &id)
	render.Fill(id, gl.RGBA8, img.Rect.Dx(), img.Rect.Dy(), gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(img.Pix), gl.LINEAR)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR)
	gl.GenerateMipmap(gl.TEXTURE_2D)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	return id
}

func (s *gallery) delete() {
	for _, id := range s.textures {
		gl.DeleteTextures(1, &id)
	}
}

// galleryPage fills the window with the start page.
func (lib *library) galleryPage() {
	g, s := lib.gui, &lib.home
	lib.unpackPictures()
	s.takePictures()
	w, h := float32(lib.gui.width), float32(lib.gui.height)
	lib.viewport.place(0, 0, float64(w), float64(h))
	g.dock("gallery", panelColor, imgui.Vec2{}, imgui.Vec2{X: w, Y: h}, imgui.Vec2{X: 20, Y: 14}, func() {
		lib.galleryHead()
		imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{})
		imgui.BeginChildV("cards", imgui.Vec2{Y: -g.px(statusHigh)}, false, imgui.WindowFlagsNone)
		imgui.PopStyleVar()
		lib.recentFiles()
		lib.cards()
		imgui.EndChild()
		text, color := lib.galleryHint()
		g.colored(color, text)
		g.mark("status")
	})
}

// galleryHint is the line at the foot of the page.
func (lib *library) galleryHint() (text string, color uint32) {
	if text, color, ok := lib.said(); ok {
		return text, color
	}
	hint := "Click a scene to open it; type to search, Enter opens the one of that name, or the first."
	if lib.scene.session != nil {
		hint += " Esc goes back to " + shortName(lib.scene.name) + "."
	}
	return hint, dimColor
}

// galleryHead is the name of the program, the search and the groups.
func (lib *library) galleryHead() {
	g, s := lib.gui, &lib.home
	g.write(g.fonts.large, inkColor, "HapCo")
	imgui.SameLineV(0, g.px(18))
	wide := min(g.px(280), float32(lib.gui.width)*0.27)
	imgui.SetCursorPos(imgui.Vec2{X: imgui.CursorPosX(), Y: imgui.CursorPosY() + g.px(5)})
	imgui.SetNextItemWidth(wide)
	g.focusHere(&s.focus)
	s.before = s.search
	s.enter = imgui.InputTextWithHintV("##search", "search: friction, ice, liver …", &s.search, imgui.InputTextFlagsEnterReturnsTrue|imgui.InputTextFlagsAutoSelectAll, nil)
	g.focusCame(&s.focus)
	g.mark("Gallery/search")
	imgui.SameLineV(0, g.px(8))
	if g.button("Open …", aboutOpen, 0) {
		lib.showFiles()
	}
	x := imgui.ItemRectMax().X
	right := float32(lib.gui.width) - g.px(24)
	for _, name := range append([]string{""}, lib.groups(func(*Scene) bool { return true })...) {
		shown := cmp.Or(name, "all")
		size := imgui.Vec2{X: imgui.CalcTextSize(shown, false, 0).X + g.px(20)}
		if x+g.px(5)+size.X <= right {
			imgui.SameLineV(0, g.px(5))
		}
		if g.toggle(shown, "Gallery/group/"+shown, "", s.group == name, size) {
			s.group = name
		}
		x = imgui.ItemRectMax().X
	}
	imgui.Spacing()
}

// groups are those of some scenes, in their order.
func (lib *library) groups(some func(s *Scene) bool) (names []string) {
	for i := range lib.opt.Scenes {
		if s := &lib.opt.Scenes[i]; some(s) && !slices.Contains(names, groupOf(s)) {
			names = append(names, groupOf(s))
		}
	}
	return names
}

// lastGroup is that of scenes that name none.
const lastGroup = "more"

func groupOf(s *Scene) string {
	return cmp.Or(s.Group, lastGroup)
}

// recentFiles are those opened last that are still there.
func (lib *library) recentFiles() {
	g := lib.gui
	if len(lib.memory.Recent) == 0 || lib.home.search != "" {
		return
	}
	g.dim("Recent:")
	right := imgui.CursorScreenPos().X + imgui.ContentRegionAvail().X
	for _, file := range lib.memory.Recent {
		name := shortName(file)
		wide := imgui.CalcTextSize(name, false, 0).X + g.px(18)
		imgui.SameLineV(0, g.px(6))
		if imgui.CursorScreenPos().X+wide > right {
			break
		}
		if imgui.ButtonV(name+"##"+file, imgui.Vec2{X: wide}) {
			lib.wanted = file
		}
		g.mark("Gallery/recent/" + name)
		g.hint(file)
	}
	imgui.Spacing()
}

// matches tells whether a scene has all the words of the search.
func (s *gallery) matches(c *Scene) bool {
	if s.group != "" && s.group != groupOf(c) {
		return false
	}
	text := strings.ToLower(c.Name + " " + c.Title + " " + c.About + " " + groupOf(c) + " " + c.Tags)
	return hasWords(text, s.search)
}

// named tells that the search is a scene's name or title.
func (s *gallery) named(c *Scene) bool {
	text := strings.TrimSpace(s.search)
	return strings.EqualFold(text, c.Name) || strings.EqualFold(text, c.Title)
}

// cards are the pictures, under the headings of their groups.
func (lib *library) cards() {
	g, s := lib.gui, &lib.home
	first := ""
	gap := g.px(12)
	avail := imgui.ContentRegionAvail().X
	columns := max(1, int((avail+gap)/(g.px(leastCard)+gap)))
	wide := (avail - gap*float32(columns-1)) / float32(columns)
	size := imgui.Vec2{X: wide, Y: wide*pictureHigh + g.px(cardText)}
	groups := lib.groups(s.matches)
	imgui.PushStyleVarVec2(imgui.StyleVarItemSpacing, imgui.Vec2{X: gap, Y: gap})
	defer imgui.PopStyleVar()
	for _, name := range groups {
		g.write(g.fonts.bold, accentColor, strings.ToUpper(name[:1])+name[1:])
		n := 0
		for i := range lib.opt.Scenes {
			c := &lib.opt.Scenes[i]
			if groupOf(c) != name || !s.matches(c) {
				continue
			}
			if n++; n%columns != 1 && columns > 1 {
				imgui.SameLineV(0, gap)
			}
			if first == "" || s.named(c) {
				first = c.Name
			}
			lib.sceneCard(c, size)
		}
	}
	if s.enter && first != "" { // of the search as it is by now
		lib.wanted = first
	}
	if len(groups) == 0 {
		g.dim("No scene has these words.")
	}
}

// sceneCard is the picture of one scene with its title and what it is about.
func (lib *library) sceneCard(c *Scene, size imgui.Vec2) {
	g := lib.gui
	clicked := imgui.InvisibleButton("##card"+c.Name, size)
	g.mark("Gallery/" + c.Name)
	if !imgui.IsItemVisible() {
		return
	}
	hovered := imgui.IsItemHovered()
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	list := imgui.WindowDrawList()
	back := pick[uint32](hovered, frameHover, 0x232934)
	list.AddRectFilledV(lo, hi, packed(back), g.px(5), imgui.DrawFlagsNone)
	foot := lo.Y + size.X*pictureHigh
	if id := lib.home.textures[c.Name]; id != 0 {
		list.AddImage(imgui.TextureID(id), lo, imgui.Vec2{X: hi.X, Y: foot})
	} else {
		list.AddRectFilledV(lo, imgui.Vec2{X: hi.X, Y: foot}, packed(deepColor), g.px(5), imgui.DrawFlagsNone)
	}
	if hovered {
		list.AddRectV(lo, hi, packed(accentColor), g.px(5), imgui.DrawFlagsNone, g.px(2))
	}
	title := cmp.Or(c.Title, shortName(c.Name))
	x, y, wide := lo.X+g.px(9), foot+g.px(5), size.X-g.px(18)
	imgui.PushFont(g.fonts.bold)
	list.AddText(imgui.Vec2{X: x, Y: y}, packed(inkColor), clipped(title, wide))
	y += imgui.TextLineHeight() + g.px(2)
	imgui.PopFont()
	imgui.PushFont(g.fonts.small)
	for _, line := range lines(c.About, wide, 3) {
		list.AddText(imgui.Vec2{X: x, Y: y}, packed(0xb4bdcb), line)
		y += imgui.TextLineHeight()
	}
	imgui.PopFont()
	g.hint(c.About)
	if clicked {
		lib.wanted = c.Name
	}
}

// lines breaks a text into at most so many lines of a width, in the present font.
func lines(text string, width float32, most int) (out []string) {
	line := ""
	words := strings.Fields(text)
	for i, word := range words {
		next := strings.TrimSpace(line + " " + word)
		if line == "" || imgui.CalcTextSize(next, false, 0).X <= width {
			line = next
			continue
		}
		if len(out) == most-1 {
			return append(out, clipped(line+" "+strings.Join(words[i:], " "), width))
		}
		out, line = append(out, line), word
	}
	return append(out, line)
}

// remember puts a file at the front of the recent ones. Embedded scenes have the gallery.
func (lib *library) remember(scene string) {
	if _, err := os.Stat(scene); err != nil {
		return
	}
	if absolute, err := filepath.Abs(scene); err == nil { // the next start may be in another folder
		scene = absolute
	}
	r := slices.DeleteFunc(lib.memory.Recent, func(s string) bool { return s == scene })
	lib.memory.Recent = append([]string{scene}, r[:min(len(r), recentMost-1)]...)
}

const recentMost = 12

const aboutOpen = "A scene, mesh, surface, recording or case (Ctrl+O). Files can also be dropped onto the window."

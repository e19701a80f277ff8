package floe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"hapco/physics/machinery/budget"
	"hapco/physics/numerics/num"
)

// GeoJSON (RFC 7946) holds outlines of floes in degrees of longitude and latitude. Files that we write hold metres
// instead and say so in a member of their own, "units": "m". Of a feature the properties thickness_m, density_kg_m3,
// fixed, velocity_m_s and angular_velocity_rad_s are read; others are left alone.

type geoFile struct {
	Type     string       `json:"type"`
	Units    string       `json:"units,omitempty"`
	Features []geoFeature `json:"features"`
}

type geoFeature struct {
	Type       string        `json:"type"`
	Properties geoProperties `json:"properties"`
	Geometry   *geoGeometry  `json:"geometry"`
}

type geoProperties struct {
	Thickness float64    `json:"thickness_m,omitempty"`
	Density   float64    `json:"density_kg_m3,omitempty"`
	Fixed     bool       `json:"fixed,omitempty"`
	Velocity  [2]float64 `json:"velocity_m_s,omitempty"`
	Rate      float64    `json:"angular_velocity_rad_s,omitempty"`
}

type geoGeometry struct {
	Type        string          `json:"type"`
	Coordinates json.RawMessage `json:"coordinates"`
}

// GeoOptions say what a file does not.
type GeoOptions struct {
	Thickness float64 // of floes whose feature has none, m; 0: 1
	Density   float64 // kg/m^3; 0: 917
}

// Loaded is what a file gave.
type Loaded struct {
	Floes  []Floe
	Notes  []string // what was mended or left out, one line each
	Centre Vec2     // longitude and latitude of the origin, degrees; 0 where the file is in metres
}

// ReadGeoJSON reads the polygons of a file of that many bytes at most; size 0 stands for what is read. Errors are one
// line with place and cure.
//
// Longitudes and latitudes are projected on the plane that touches the Earth in their middle, by Lambert's projection,
// which keeps areas. A clockwise outline is turned round, a hole is filled, and an outline that crosses itself, or has
// no area, is left out; each with a note.
func ReadGeoJSON(r io.Reader, o GeoOptions) (*Loaded, error) {
	data, err := io.ReadAll(io.LimitReader(r, budget.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("floe: %w (cure: a whole file)", err)
	}
	if len(data) > budget.MaxFile {
		return nil, fmt.Errorf("floe: more than %d MB (cure: a smaller file)", budget.MaxFile>>20)
	}
	file, err := parseGeo(data)
	if err != nil {
		return nil, err
	}
	out, memory := &Loaded{}, budget.For(int64(len(data)))
	rings, err := file.rings(out, &memory)
	if err != nil {
		return nil, err
	}
	if file.Units == "" {
		out.project(rings)
	}
	for _, g := range rings {
		out.add(g, &file.Features[g.feature].Properties, o)
	}
	if len(out.Floes) == 0 {
		return nil, errors.New("floe: GeoJSON without a floe (cure: at least one polygon)")
	}
	return out, nil
}

// parseGeo reads a collection of features, or a single one.
func parseGeo(data []byte) (*geoFile, error) {
	var file geoFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("floe: GeoJSON: %w (cure: a whole FeatureCollection)", err)
	}
	switch file.Type {
	case "FeatureCollection":
	case "Feature":
		file.Features = make([]geoFeature, 1)
		if err := json.Unmarshal(data, &file.Features[0]); err != nil {
			return nil, fmt.Errorf("floe: GeoJSON: %w (cure: a whole Feature)", err)
		}
	default:
		return nil, fmt.Errorf("floe: GeoJSON of type %q (cure: a FeatureCollection of polygons)", file.Type)
	}
	if file.Units != "" && file.Units != "m" {
		return nil, fmt.Errorf("floe: GeoJSON in units %q (cure: m, or none for longitude and latitude)", file.Units)
	}
	return &file, nil
}

// geoRing is the outline of a polygon, in the file's numbers.
type geoRing struct {
	feature int
	points  []Vec2
}

func (l *Loaded) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// rings are the outlines of all polygons.
func (file *geoFile) rings(out *Loaded, memory *budget.Memory) (rings []geoRing, err error) {
	for i := range file.Features {
		f := &file.Features[i]
		if f.Geometry == nil {
			out.note("features[%d] has no geometry: left out", i)
			continue
		}
		var polygons [][][][]float64
		switch f.Geometry.Type {
		case "Polygon":
			polygons = make([][][][]float64, 1)
			err = json.Unmarshal(f.Geometry.Coordinates, &polygons[0])
		case "MultiPolygon":
			err = json.Unmarshal(f.Geometry.Coordinates, &polygons)
		default:
			out.note("features[%d] is a %q: left out", i, f.Geometry.Type)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("floe: features[%d].geometry.coordinates: %w (cure: rings of positions)", i, err)
		}
		for _, p := range polygons {
			if len(p) == 0 {
				out.note("features[%d] has an empty polygon: left out", i)
				continue
			}
			if len(p) > 1 {
				out.note("features[%d] has %d holes: filled", i, len(p)-1)
			}
			if !memory.Take(int64(16 * len(p[0]))) {
				return nil, errors.New("floe: GeoJSON takes too much memory for its size (cure: a smaller file)")
			}
			points := make([]Vec2, 0, len(p[0]))
			for k, x := range p[0] {
				if len(x) < 2 || !num.AllFinite(x[0], x[1]) {
					return nil, fmt.Errorf("floe: features[%d], position %d: no point (cure: two finite numbers)", i, k)
				}
				if file.Units == "" && (math.Abs(x[0]) > 360 || math.Abs(x[1]) > 90) {
					return nil, fmt.Errorf("floe: features[%d], position %d: (%g, %g) is no longitude and latitude (cure: degrees, or \"units\": \"m\")", i, k, x[0], x[1])
				}
				points = append(points, Vec2{x[0], x[1]})
			}
			if n := len(points); n > 1 && points[0] == points[n-1] { // rings are closed
				points = points[:n-1]
			}
			rings = append(rings, geoRing{i, points})
		}
	}
	return rings, nil
}

// project puts longitudes and latitudes on the plane that touches the Earth in their middle.
func (l *Loaded) project(rings []geoRing) {
	var sum [3]float64
	for _, g := range rings {
		for _, p := range g.points {
			x := onSphere(p)
			for k := range sum {
				sum[k] += x[k]
			}
		}
	}
	l.Centre = Vec2{math.Atan2(sum[1], sum[0]) * 180 / math.Pi, math.Atan2(sum[2], math.Hypot(sum[0], sum[1])) * 180 / math.Pi}
	for _, g := range rings {
		for k, p := range g.points {
			g.points[k] = lambert(p, l.Centre)
		}
	}
}

// add makes a floe of an outline, mended, in metres about its centroid.
func (l *Loaded) add(g geoRing, p *geoProperties, o GeoOptions) {
	f := Floe{Thickness: cmp.Or(p.Thickness, o.Thickness, 1), Density: cmp.Or(p.Density, o.Density, iceDensity),
		Fixed: p.Fixed, Velocity: p.Velocity, Rate: p.Rate}
	outline, repair, err := Outline(g.points)
	if err != nil {
		l.note("features[%d]: %v: left out", g.feature, err)
		return
	}
	if repair != 0 {
		l.note("features[%d]: %v", g.feature, repair)
	}
	f.Position = SectionOf(outline).Centroid
	centre(outline, f.Position)
	f.Outline = outline
	if _, err := f.body(); err != nil {
		l.note("features[%d]: %v: left out", g.feature, err)
		return
	}
	l.Floes = append(l.Floes, f)
}

// onSphere is the unit vector of a longitude and a latitude.
func onSphere(p Vec2) [3]float64 {
	sl, cl := math.Sincos(p[0] * math.Pi / 180)
	sb, cb := math.Sincos(p[1] * math.Pi / 180)
	return [3]float64{cb * cl, cb * sl, sb}
}

// lambert is the place of p, in m, on the plane that touches at c.
func lambert(p, c Vec2) Vec2 {
	sl, cl := math.Sincos((p[0] - c[0]) * math.Pi / 180)
	sb, cb := math.Sincos(p[1] * math.Pi / 180)
	s0, c0 := math.Sincos(c[1] * math.Pi / 180)
	k := earthRadius * math.Sqrt(2/max(1e-9, 1+s0*sb+c0*cb*cl))
	return Vec2{k * cb * sl, k * (c0*sb - s0*cb*cl)}
}

// WriteGeoJSON writes floes as they are now, in metres.
func (w *World) WriteGeoJSON(out io.Writer) error {
	file := geoFile{Type: "FeatureCollection", Units: "m", Features: []geoFeature{}}
	for i := range w.count() {
		b := &w.bodies[w.order[i]]
		if b.tool {
			continue
		}
		ring := append(slices.Clone(b.at), b.at[0])
		text, err := json.Marshal([][]Vec2{ring})
		if err != nil {
			return fmt.Errorf("floe: floe %d: %w", i, err)
		}
		file.Features = append(file.Features, geoFeature{Type: "Feature", Geometry: &geoGeometry{"Polygon", text},
			Properties: geoProperties{Thickness: b.thickness, Density: b.density, Fixed: b.fixed, Velocity: b.v, Rate: b.rate}})
	}
	return json.NewEncoder(out).Encode(&file)
}

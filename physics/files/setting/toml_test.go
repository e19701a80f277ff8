package setting

import (
	"strings"
	"testing"

	"hapco/assets"
)

// What is nested deeper than the stack is refused with its line; brackets and dots in words and comments are no nesting.
func TestNestingIsBounded(t *testing.T) {
	deep := 1 << 20
	for what, text := range map[string]string{
		"lists":  "a = 1\nx = " + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "\n",
		"tables": "a = 1\nx = " + strings.Repeat("{a=", deep) + "1" + strings.Repeat("}", deep) + "\n",
		"names":  "a = 1\n[" + strings.Repeat("a.", deep) + "b]\nc = 1\n",
		"dots":   "a = 1\n" + strings.Repeat("'b' . ", deep) + "c = 1\n",
		"spread": "a = '''\n''' # [\nx = " + strings.Repeat("[\n", deep) + strings.Repeat("]", deep) + "\n",
	} {
		var into map[string]any
		_, err := Decode(text, &into)
		if err == nil || !strings.Contains(err.Error(), "nested") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, text := range []string{
		`x = "` + strings.Repeat("[", 100) + `" # ` + strings.Repeat("{", 100) + "\ny = '" + strings.Repeat("a.", 100) + "'\n",
		"x = \"\"\"\n\\\"\"\" ]" + strings.Repeat("[", 100) + "\"\"\"\ny = 1",
		"x = [" + strings.Repeat("[1.5, 2.5], ", 1000) + "]\n",
		strings.Repeat("[a.b.c]\n", 1) + "d = '''\n" + strings.Repeat("[", 100) + "'''\n",
	} {
		var into map[string]any
		if _, err := Decode(text, &into); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil || tooNested(string(text)) > 0 {
			t.Errorf("%s: %v, line %d", name, err, tooNested(string(text)))
		}
	}
}

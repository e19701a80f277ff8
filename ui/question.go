package ui

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hapco/physics"
	files "hapco/physics/files/atomicfile"
	"hapco/physics/files/setting"
)

// question is what a scene asks, and how the answers went.
type question struct {
	of     *setting.Question
	right  int     // of the answers
	ratio  float64 // of the drawn key to its value in the file
	streak int     // right answers since the ratio last changed
	trial  int     // from 1
	said   string  // about the last answer
	good   bool
}

// staircase is the factor on the difference, ratio - 1, after two right answers (down) or a wrong one (up): it settles
// where 71 % of the answers are right [Levitt 1971].
const staircase = 1.5

// beginQuestion starts a scene's question anew.
func (st *study) beginQuestion() {
	of := &st.scene.session.Common().Question
	st.question = question{of: of, ratio: of.Ratio}
	if of.Ask != "" {
		st.drawLot()
	}
}

// hides tells whether a key's value is the secret of the question.
func (q *question) hides(k *physics.Key) bool {
	return q.of != nil && slices.Contains(q.of.Keys, k.Name)
}

// drawLot chooses the right answer, and makes its key larger.
func (st *study) drawLot() {
	q := &st.question
	q.trial++
	if len(q.of.Keys) == 0 {
		q.right = slices.Index(q.of.Answers, q.of.Right)
		return
	}
	q.right = rand.IntN(len(q.of.Keys))
	for i, name := range q.of.Keys {
		n := physics.Place(st.scene.keys, name)
		if n < 0 {
			continue
		}
		x := st.scene.defaults[n]
		if i == q.right {
			x *= q.ratio
		}
		physics.Choose(st.scene.keys, st.scene.values, n, x, st.scene.snap)
	}
	st.scene.publish()
	st.do(settleChanges)
}

// answer takes an answer, notes it, and asks again.
func (st *study) answer(i int) {
	q := &st.question
	good := i == q.right
	if err := st.noteAnswer(i, good); err != nil {
		st.warn(err.Error())
	}
	q.good, q.said = good, "Right."
	if !good {
		q.said = "No: " + q.of.Answers[q.right] + "."
	}
	if len(q.of.Keys) == 0 {
		return
	}
	switch q.streak++; {
	case !good:
		q.ratio, q.streak = 1+(q.ratio-1)*staircase, 0
	case q.streak == 2:
		q.ratio, q.streak = 1+(q.ratio-1)/staircase, 0
	}
	q.said += " Next: a difference of " + percent(q.ratio-1) + "."
	st.drawLot()
}

// noteAnswer adds a line to the file of answers.
func (st *study) noteAnswer(i int, good bool) (err error) {
	q := &st.question
	if st.opt.Answers == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("ui: the answer is not noted: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(st.opt.Answers), 0o755); err != nil {
		return err
	}
	var line bytes.Buffer
	out := csv.NewWriter(&line)
	if s, err := os.Stat(st.opt.Answers); err != nil || s.Size() == 0 {
		_ = out.Write([]string{"time", "scene", "trial", "question", "answer", "right", "correct", "ratio", "seconds"})
	}
	_ = out.Write([]string{time.Now().Format(time.RFC3339), st.scene.name, strconv.Itoa(q.trial), q.of.Ask, q.of.Answers[i], q.of.Answers[q.right],
		strconv.FormatBool(good), strconv.FormatFloat(q.ratio, 'g', 6, 64), strconv.FormatFloat(time.Since(st.scene.met).Seconds(), 'f', 1, 64)})
	out.Flush()
	return files.Append(st.opt.Answers, line.Bytes())
}

// questionCard asks, at the top of the scene.
func (st *study) questionCard() {
	q := &st.question
	if q.of == nil || q.of.Ask == "" || st.opt.Script != nil {
		return
	}
	g := st.gui
	g.card("question", 0.85, cardFlags, func() {
		g.write(g.fonts.bold, inkColor, q.of.Ask)
		for i, name := range q.of.Answers {
			beside(i, g.px(6))
			if g.button(name+"##answer"+strconv.Itoa(i), "Notes this answer.", 0) {
				st.answer(i)
			}
		}
		if q.said != "" {
			g.colored(pick(q.good, goodColor, warnColor), q.said)
		}
	})
}

package app

// InputError marks an error as the user's input: exit status 2.
type InputError struct{ error }

func (e InputError) Unwrap() error { return e.error }

// BadInput marks err, when there is one, as the user's input.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return InputError{err}
}

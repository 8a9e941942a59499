package main

import "os"

func secret_file(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "refused"
	}
	return string(text)
}

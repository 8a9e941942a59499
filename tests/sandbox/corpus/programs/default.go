package main

func default_(value *string) string {
	if value == nil {
		return "none"
	}
	return *value
}

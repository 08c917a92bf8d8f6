package main

import (
	"os"

	"hpcbench/load/endpoint"
)

// keyVariable may hold the key where no file is named. There is no flag for the key itself: ps shows flags to everybody.
const keyVariable = "HPCBENCH_API_KEY"

// apiKey reads the key from a 0600 file, else from the environment.
func apiKey(file string) (string, error) {
	if file == "" {
		file = os.Getenv(keyVariable + "_FILE")
	}
	if file == "" {
		return os.Getenv(keyVariable), nil
	}
	return endpoint.ReadKey(file)
}

package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Model is one entry of /v1/models. Root and MaxModelLen are vLLM's.
type Model struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	Root        string `json:"root"`
	MaxModelLen int    `json:"max_model_len"`
}

// Models asks what is served.
func (e Endpoint) Models(ctx context.Context, c *http.Client) ([]Model, error) {
	var answer struct {
		Data []Model `json:"data"`
	}
	if err := e.Get(ctx, c, "/v1/models", &answer); err != nil {
		return nil, fmt.Errorf("ask what is served: %w", err)
	}
	return answer.Data, nil
}

// OtherModelError says that the server answers but doesn't serve the model.
type OtherModelError struct {
	Wanted string
	Have   []string
}

// Error names what is served.
func (e *OtherModelError) Error() string {
	switch {
	case len(e.Have) == 0:
		return "the server says that it serves no model"
	case e.Wanted == "":
		return fmt.Sprintf("the server serves %d models: say which with --model: %s", len(e.Have), strings.Join(e.Have, ", "))
	}
	return fmt.Sprintf("the server doesn't serve %q; it serves %s", e.Wanted, strings.Join(e.Have, ", "))
}

// PickModel is the entry of the wanted name, or the only one where no name is
// wanted. The error is an *OtherModelError.
func PickModel(models []Model, wanted string) (Model, error) {
	var names []string
	for _, m := range models {
		if m.ID == wanted {
			return m, nil
		}
		names = append(names, m.ID)
	}
	if wanted == "" && len(models) == 1 {
		return models[0], nil
	}
	return Model{}, &OtherModelError{Wanted: wanted, Have: names}
}

{{/* The name of everything that belongs to one volume: the release and the volume, as a label may be. */}}
{{- define "preflight.name" -}}
{{- printf "%s-%s" .release .volume | lower | replace "." "-" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

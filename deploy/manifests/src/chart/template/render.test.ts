import { describe, expect, test } from '@jest/globals'
import { renderTemplate } from './render.ts'

const root = {
  Values: {
    on: true,
    off: false,
    name: 'sender',
    services: { 'api-gateway': { replicas: 2 } },
    map: { b: '2', a: '<1>' },
    empty: {},
  },
  Release: { Service: 'Helm' },
}

describe('renderTemplate', () => {
  // Results of Go's text/template with the functions of Helm.
  test.each([
    ['a: {{ $.Values.name }}', 'a: sender'],
    ['{{- if $.Values.on }}\na: 1\n{{- else }}\na: 2\n{{- end }}\nb', '\na: 1\nb'],
    ['{{ if $.Values.off }}1{{ else if $.Values.on }}2{{ else }}3{{ end }}', '2'],
    ['{{ if $.Values.empty }}1{{ end }}', ''],
    ['{{ if and $.Values.on (not $.Values.off) }}1{{ end }}', '1'],
    ['{{ if or $.Values.off $.Values.name }}1{{ end }}', '1'],
    ['{{ range $k, $v := $.Values.map }}{{ $k }}={{ $v }};{{ end }}', 'a=<1>;b=2;'],
    ['{{ (index $.Values "services" "api-gateway" "replicas") | toJson }}', '2'],
    ['{{ $.Values.map | toJson }}', '{"a":"\\u003c1\\u003e","b":"2"}'],
    [
      '{{ $.Values.map | toJson | toJson }}',
      '"{\\"a\\":\\"\\\\u003c1\\\\u003e\\",\\"b\\":\\"2\\"}"',
    ],
    ['{{ $.Values.none | default $.Values.name }}', 'sender'],
    ['{{ if hasKey $.Values.map "a" }}1{{ end }}{{ if hasKey $.Values.map "c" }}2{{ end }}', '1'],
    [
      '{{ list $.Values.name $.Values.on | toJson | sha256sum }}',
      '62ab7b2e816568c77635118b7e513c0a9622d527951b043587b7ce406ae7bc07',
    ],
    ['a\n  {{- " b" }} {{ 3 -}}\n c', 'a b 3c'],
  ])('%s', (template, text) => {
    expect(renderTemplate(template, root)).toBe(text)
  })

  test.each([
    ['{{ template "x" }}', 'the template language has no function template'],
    ['{{ $.Values.name.first }}', 'first is a field of a value that is no map'],
    ['{{ $x }}', 'the variable $x does not exist'],
    ['{{ $.Values.map }}', 'the value {"b":"2","a":"<1>"} is no text: use toJson'],
    ['{{ if $.Values.on }}', '{{ if $.Values.on }} without an end'],
    ['{{ end }}', '{{ end }} without a beginning'],
    ['{{ .Values.on }}', '{{ .Values.on }} contains .'],
    ['{{ range $.Values.map }}{{ end }}', '{{ range $.Values.map }} needs two variables'],
  ])('%s: throws', (template, message) => {
    expect(() => renderTemplate(template, root)).toThrow(message)
  })
})

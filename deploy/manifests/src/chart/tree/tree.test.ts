import { describe, expect, test } from '@jest/globals'
import { emit } from './emit.ts'
import { joinConditions } from './join-conditions.ts'
import { mergeVariants, type Variant } from './merge-variants.ts'
import { Expression } from './nodes.ts'

/** Template of a map that the base and two components have. */
function templateOf(base: object, a: object = base, b: object = base): string {
  const variants: Variant[] = [
    { value: base },
    { condition: '$.a', value: a },
    { condition: '$.b', value: b },
  ]
  const [{ node } = { node: undefined }] = mergeVariants(variants)
  return node ? joinConditions(emit(node)) : ''
}

describe('mergeVariants and emit', () => {
  test('equal builds: no condition, texts that YAML would read as another type are quoted', () => {
    const value = { name: 'sender', on: 'true', port: 3000, list: [], map: {}, text: 'a: b' }
    expect(templateOf(value)).toBe(
      'name: sender\n"on": "true"\nport: 3000\nlist: []\nmap: {}\ntext: "a: b"\n',
    )
  })

  test('a member that a component removes or adds', () => {
    expect(templateOf({ x: 1, replicas: 2 }, { x: 1 }, { x: 1, replicas: 2, w: { z: 3 } })).toBe(
      'x: 1\n{{- if not $.a }}\nreplicas: 2\n{{- end }}\n{{- if $.b }}\nw:\n  z: 3\n{{- end }}\n',
    )
  })

  test('a value that a component changes', () => {
    expect(templateOf({ x: 1 }, { x: 2 }, { x: 1 })).toBe(
      '{{- if $.a }}\nx: 2\n{{- else }}\nx: 1\n{{- end }}\n',
    )
  })

  test('lists: items are compared by their name, added ones keep their place', () => {
    const volume = (name: string, path = 'x') => ({ name, path })
    expect(
      templateOf(
        { volumes: [volume('ca'), volume('secrets')] },
        { volumes: [volume('tls'), volume('ca'), volume('secrets')] },
        { volumes: [volume('ca', 'y'), volume('secrets')] },
      ),
    ).toBe(
      [
        'volumes:',
        '{{- if $.a }}',
        '  - name: tls',
        '    path: x',
        '{{- end }}',
        '  - name: ca',
        '{{- if $.b }}',
        '    path: "y"',
        '{{- else }}',
        '    path: x',
        '{{- end }}',
        '  - name: secrets',
        '    path: x',
        '',
      ].join('\n'),
    )
  })

  test('expressions: are written as they are', () => {
    expect(templateOf({ replicas: new Expression('{{ $.Values.x | toJson }}') })).toBe(
      'replicas: {{ $.Values.x | toJson }}\n',
    )
  })

  test('what the template language cannot express is an error', () => {
    expect(() => templateOf({ x: [] }, { x: [1] })).toThrow('has conditional members only: $.a')
    expect(() => templateOf({ x: '{{ y }}' })).toThrow('a manifest contains a template: {{ y }}')
    expect(() => templateOf({ x: 1 }, {}, { x: 2 })).toThrow('removes what another changes')
  })
})

test('joinConditions: joins blocks of the same condition, not those with an else', () => {
  const block = (text: string, last = '') => `{{- if a }}\n${text}\n${last}{{- end }}\n`
  expect(joinConditions(block('x') + block('y'))).toBe('{{- if a }}\nx\ny\n{{- end }}\n')
  const alternative = block('x', '{{- else }}\nz\n') + block('y')
  expect(joinConditions(alternative)).toBe(alternative)
})

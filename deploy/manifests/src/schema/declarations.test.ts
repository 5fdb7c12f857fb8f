import { describe, expect, test } from '@jest/globals'
import { parseDeclarations } from './declarations.ts'

describe('parseDeclarations', () => {
  test('reads interfaces, aliases and imports, and skips classes', () => {
    const { types, imports } = parseDeclarations(`
      import { IPort } from "./Port.js";
      /** Comment with a "quoted" word. */
      export interface IPod extends IBase {
          "ports"?: Array<IPort>;
          labels: { [key: string]: string };
          "policy": "Always" | "Never";
      }
      export declare class Pod extends Model<IPod> { constructor(data?: ModelData<IPod>); }
      export type { IPod as IAliasOfPod };`)
    expect(imports.get('IPort')).toBe('./Port.js')
    expect(types.get('IAliasOfPod')).toEqual({ kind: 'reference', name: 'IPod' })
    expect(types.get('IPod')).toEqual({
      kind: 'object',
      bases: [{ kind: 'reference', name: 'IBase' }],
      fields: new Map<string, unknown>([
        [
          'ports',
          {
            isOptional: true,
            type: { kind: 'array', items: { kind: 'reference', name: 'IPort' } },
          },
        ],
        [
          'labels',
          {
            isOptional: false,
            type: {
              kind: 'object',
              fields: new Map(),
              bases: [],
              values: { kind: 'scalar', name: 'string' },
            },
          },
        ],
        [
          'policy',
          {
            isOptional: false,
            type: {
              kind: 'union',
              types: [
                { kind: 'literal', value: 'Always' },
                { kind: 'literal', value: 'Never' },
              ],
            },
          },
        ],
      ]),
    })
    expect([...types.keys()]).toEqual(['IPod', 'IAliasOfPod'])
  })

  test('of a type that it does not support, throws with its name', () => {
    expect(() => parseDeclarations('type A = keyof B;')).toThrow('type "keyof" is not supported')
  })
})

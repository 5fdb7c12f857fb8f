import { describe, expect, test } from '@jest/globals'
import { defined } from './defined.ts'

interface Target {
  kind: 'a' | 'b'
  size?: number
  tags?: string[]
  nested?: { name?: string }
}

describe('defined', () => {
  test('with undefined members, returns a copy without them in the same order', () => {
    const size: number | undefined = undefined
    const target: Target = defined({ size, kind: 'a', tags: ['x'], nested: undefined })
    expect(Object.entries(target)).toEqual([
      ['kind', 'a'],
      ['tags', ['x']],
    ])
  })

  test('without undefined members, returns the object itself', () => {
    const members = { kind: 'b' as const, size: 0, text: '', flag: false, none: null }
    expect(defined(members)).toBe(members)
  })

  test('with undefined members of a nested object, keeps them', () => {
    expect(Object.keys(defined({ nested: { name: undefined } }).nested)).toEqual(['name'])
  })

  test('with all members undefined, returns an empty object', () => {
    expect(Object.keys(defined({ a: undefined, b: undefined }))).toEqual([])
  })

  test('with optional members, keeps required members required', () => {
    const input: { id: string; at?: Date | undefined } = { id: 'x' }
    const output: { id: string; at?: Date } = defined({ id: input.id, at: input.at })
    expect(output).toStrictEqual({ id: 'x' })
  })
})

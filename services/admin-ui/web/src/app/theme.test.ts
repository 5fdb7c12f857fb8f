import { expect, test } from '@jest/globals'
import { readTheme } from './theme.ts'

const storage = (value: string | null) => () => ({ getItem: () => value })

test('readTheme: stored theme, or the theme of the system for other values', () => {
  expect(readTheme(storage('dark'))).toBe('dark')
  expect(readTheme(storage('blue'))).toBe('system')
  expect(readTheme(storage(null))).toBe('system')
})

test('readTheme: with a blocked storage, theme of the system', () => {
  const blocked = () => {
    throw new Error('blocked')
  }
  expect(readTheme(blocked)).toBe('system')
})

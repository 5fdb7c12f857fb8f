import { Type } from 'typebox'
import { Bool, Int, Nullable, Text } from '../schemas/primitives.ts'

// Functions that create schemas for settings. The value null unsets a setting.

export const flag = (description: string) => Nullable(Bool(description))
export const text = (description: string, maxLength: number) =>
  Nullable(Text(description, { maxLength }))
export const name = (description: string) =>
  Nullable(Text(description, { minLength: 1, maxLength: 256 }))
export const names = (description: string) =>
  Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1000, description }))
export const number = (description: string, minimum: number, maximum: number) =>
  Nullable(Type.Number({ minimum, maximum, description }))
export const int = (description: string, minimum: number, maximum: number) =>
  Nullable(Int(description, { minimum, maximum }))
export const bytes = (description: string) => int(description, 0, 1_073_741_824)
export const port = (description: string) => int(description, 1, 65_535)
export const host = (description: string) =>
  Nullable(Text(description, { minLength: 1, maxLength: 255, format: 'host-name' }))
export const url = (
  description: string,
  format: 'http-url' | 'http-url-or-empty' | 'proxy-url-or-empty' = 'http-url-or-empty',
) => Nullable(Text(description, { maxLength: 2048, format }))

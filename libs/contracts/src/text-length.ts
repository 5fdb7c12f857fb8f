import { _, type Ajv2020, type KeywordErrorDefinition, str } from 'ajv/dist/2020.js'

/**
 * Replaces `minLength` and `maxLength` of ajv, which count the characters of every text. The number
 * of UTF-16 units decides most texts without reading them: a character has one or two units.
 */
export function addTextLengths(ajv: Ajv2020): void {
  ajv.removeKeyword('minLength')
  ajv.removeKeyword('maxLength')
  const rules = {
    minLength: (limit: number) => (text: string) =>
      text.length >= 2 * limit || (text.length >= limit && characters(text) >= limit),
    maxLength: (limit: number) => (text: string) =>
      text.length <= limit || (text.length <= 2 * limit && characters(text) <= limit),
  }
  for (const [keyword, compile] of Object.entries(rules))
    // The formats of a schema are checked after text lengths, so that a format check does not read
    // long texts.
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      compile,
      error,
      before: 'pattern',
    })
}

/** Error of a too long or too short text, as ajv reports the error. */
const error: KeywordErrorDefinition = {
  message: ({ keyword, schemaCode }) =>
    str`must NOT have ${keyword === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
  params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
}

/**
 * Number of Unicode characters of a text. A high surrogate with a low surrogate after it is a
 * single character.
 */
function characters(text: string): number {
  let pairs = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      pairs += 1
      at += 1
    }
  }
  return text.length - pairs
}

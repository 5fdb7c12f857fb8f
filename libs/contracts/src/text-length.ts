import { _, type Ajv2020, type KeywordErrorDefinition, str } from 'ajv/dist/2020.js'

/**
 * Replaces ajv's schema keywords `minLength` and `maxLength`, which count the characters of every
 * text. A character has one or two UTF-16 units, so for most texts the number of units is
 * sufficient and the text is not read.
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
    // The length of a text in an API request is checked before its format, so that the format check
    // does not read long texts.
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      compile,
      error,
      before: 'pattern',
    })
}

/** Error for a text that is too long or too short for its schema, in the wording of ajv. */
const error: KeywordErrorDefinition = {
  message: ({ keyword, schemaCode }) =>
    str`must NOT have ${keyword === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
  params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
}

/**
 * Counts the Unicode characters of a text. A high surrogate and the low surrogate after it are one
 * character.
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

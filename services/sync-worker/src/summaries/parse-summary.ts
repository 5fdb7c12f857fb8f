import { matches, MessageSummary, parseDate } from '@posthorn/contracts'

const maxItems = 20

/**
 * Reads the answer of an endpoint. Undefined where it is no summary. What it says is data of unknown intent: only what the schema knows is
 * taken, as plain text of a bounded length. Pure.
 */
export function parseSummary(body: string): MessageSummary | undefined {
  const answer = objectOf(parse(body))
  const [choice] = listOf(answer['choices'])
  const made = objectOf(jsonIn(objectOf(objectOf(choice)['message'])['content']))
  const tokens = objectOf(answer['usage'])['total_tokens']
  const { shouldReply } = made
  const summary = {
    ...optionalText('id', textOf(answer['id'], 256)),
    ...(Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? { tokens: Number(tokens) } : {}),
    ...optionalText('model', textOf(answer['model'], 256)),
    ...optionalText('sentiment', textOf(made['sentiment'], 64).toLowerCase()),
    summary: textOf(made['summary'], 4_000),
    ...(typeof shouldReply === 'boolean' ? { shouldReply } : {}),
    ...items('events', made['events'], 'startTime'),
    ...items('actions', made['actions'], 'dueDate'),
  }
  return matches(MessageSummary, summary) ? summary : undefined
}

/** Models think aloud, and fence in what they were to answer alone. */
function jsonIn(said: unknown): unknown {
  if (typeof said !== 'string') return undefined
  const answer = said.slice(said.lastIndexOf('</think>') + 1)
  const [from, to] = [answer.indexOf('{'), answer.lastIndexOf('}')]
  return from === -1 || to < from ? undefined : parse(answer.slice(from, to + 1))
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function items(name: 'events' | 'actions', list: unknown, time: 'startTime' | 'dueDate') {
  const found = listOf(list)
    .slice(0, maxItems)
    .flatMap((item) => {
      const description = textOf(objectOf(item)['description'], 2_000)
      const when = textOf(objectOf(item)[time], 64)
      if (description === '') return []
      return [{ description, ...(parseDate(when) ? { [time]: when } : {}) }]
    })
  return found.length > 0 ? { [name]: found } : {}
}

/** Text that is nothing else: whoever puts it into a page unescaped shows no markup of a stranger, and nothing turns its direction. */
function textOf(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return ''
  return value
    .slice(0, 2 * maxLength)
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}

function optionalText(
  name: 'id' | 'model' | 'sentiment',
  text: string,
): { [_ in typeof name]?: string } {
  return text === '' ? {} : { [name]: text }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

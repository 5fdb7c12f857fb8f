import { Writable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { Output } from './output.ts'

interface Row {
  id: string
}
const columns = [{ title: 'ID', isKey: true, text: ({ id }: Row) => id }]
const empty = 'no rows'

/** Output of a command to a stream that stores each write. */
function openOutput({ json }: { json: boolean }) {
  const writes: string[] = []
  const closed = new AbortController()
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString())
      done()
    },
  })
  return { output: new Output(stream, { json, closed: closed.signal }), writes, closed }
}

async function* failAfter(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
  throw new Error('the next page failed')
}

describe('Output: table', () => {
  test('prints the rows before an error', async () => {
    const { output, writes } = openOutput({ json: false })
    const rows = failAfter([{ id: 'anna' }, { id: 'ben' }])
    await expect(output.table(rows, columns, { empty })).rejects.toThrow('the next page failed')
    expect(writes.join('')).toBe('ID\nanna\nben\n')
  })

  test('an error before the first row is not reported as an empty list', async () => {
    const { output, writes } = openOutput({ json: false })
    await expect(output.table(failAfter([]), columns, { empty })).rejects.toThrow()
    expect(writes).toEqual([])
  })

  test('prints no rows after the reader has closed the pipe', async () => {
    const { output, writes, closed } = openOutput({ json: true })
    const rows = async function* () {
      yield { id: 'anna' }
      closed.abort()
      throw new Error('interrupted')
    }
    await expect(output.table(rows(), columns, { empty })).rejects.toThrow('interrupted')
    expect(writes).toEqual([])
  })

  test('prints each page when it is read', async () => {
    const { output, writes } = openOutput({ json: true })
    const printed: number[] = []
    const rows = async function* () {
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        printed.push(writes.length)
        yield { id }
      }
    }
    await output.table(rows(), columns, { empty, rowsPerPrint: 2 })
    expect(printed).toEqual([0, 0, 1, 1, 2])
    expect(writes).toEqual(['{"id":"a"}\n{"id":"b"}\n', '{"id":"c"}\n{"id":"d"}\n', '{"id":"e"}\n'])
  })
})

test('Output: JSON escapes characters that change the terminal', async () => {
  const { output, writes } = openOutput({ json: true })
  const value = { subject: 'a\u009b31m\u007f\u202e\u061c\u2028é日' }
  await output.result(value, '')
  await output.table([value], [], { empty })
  const line = '{"subject":"a\\u009b31m\\u007f\\u202e\\u061c\\u2028é日"}\n'
  expect(writes).toEqual([line, line])
  expect(JSON.parse(line)).toEqual(value)
})

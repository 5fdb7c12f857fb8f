import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { composeSubmission, parseAddress } from './compose-submission.ts'

const inputOf = (chunks: string[]) => ({
  terminal: { stdin: Readable.from(chunks) },
  signal: new AbortController().signal,
})

test.each([
  ['ben@example.com', { address: 'ben@example.com' }],
  [' Ben Ash <ben@example.com> ', { name: 'Ben Ash', address: 'ben@example.com' }],
  ['"Ash, \\"Ben\\"" <ben@example.com>', { name: 'Ash, "Ben"', address: 'ben@example.com' }],
  ['<ben@example.com>', { address: 'ben@example.com' }],
])('parseAddress: %s', (text, address) => {
  expect(parseAddress(text)).toEqual(address)
})

test('composeSubmission: a text from standard input, members without options are absent', async () => {
  const input = inputOf(['It is ', 'on its way.'])
  const body = await composeSubmission({ to: ['ben@example.com'], textFile: '-' }, input)
  expect(body).toEqual({ to: [{ address: 'ben@example.com' }], text: 'It is on its way.' })
})

test('composeSubmission: two files from standard input are a wrong argument', async () => {
  const options = { to: ['ben@example.com'], textFile: '-', htmlFile: '-' }
  await expect(composeSubmission(options, inputOf([]))).rejects.toMatchObject({ exitCode: 2 })
})

import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createSealer, keyPairFromSecret, sealLogin } from '@posthorn/secrets'
import { createLoginUnsealer } from './unseal-login.ts'

const sealer = createSealer(keyPairFromSecret('secret').publicKey)
const sealed = await sealLogin('https://u:p@h.example/', sealer)

function opener(answers: (string | Error)[]) {
  const requests: unknown[] = []
  const request = async (_command: unknown, body: unknown) => {
    requests.push(body)
    const answer = answers.shift() ?? new Error('unexpected request')
    if (answer instanceof Error) throw answer
    return { address: answer }
  }
  return { requests, open: createLoginUnsealer({ request: request as never }) }
}

test('createLoginUnsealer: a value that is not sealed sends no request', async () => {
  const { open, requests } = opener([])
  for (const address of ['https://h.example/', 'https://u:p@h.example/', 'nonsense', ''])
    expect(await open(address)).toBe(address)
  expect(requests).toEqual([])
})

test('createLoginUnsealer: concurrent callers share one request', async () => {
  const { open, requests } = opener(['https://u:p@h.example/'])
  const opened = await Promise.all([open(sealed), open(sealed)])
  expect([...opened, await open(sealed)]).toEqual(Array(3).fill('https://u:p@h.example/'))
  expect(requests).toEqual([{ address: sealed }])
})

test('createLoginUnsealer: failures are not cached', async () => {
  const { open } = opener([new AppError('unavailable', 'away'), 'https://u:p@h.example/'])
  await expect(open(sealed)).rejects.toThrow('away')
  expect(await open(sealed)).toBe('https://u:p@h.example/')
})

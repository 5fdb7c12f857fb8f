import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createSealer, keyPairFromSecret, sealLogin } from '@posthorn/secrets'
import { createLoginUnsealer } from './unseal-login.ts'

const sealer = createSealer(keyPairFromSecret('secret').publicKey)
const sealed = await sealLogin('https://u:p@h.example/', sealer)

function opener(answers: (string | Error)[]) {
  const asked: unknown[] = []
  const ask = async (_command: unknown, request: unknown) => {
    asked.push(request)
    const answer = answers.shift() ?? new Error('asked once too often')
    if (answer instanceof Error) throw answer
    return { address: answer }
  }
  return { asked, open: createLoginUnsealer({ request: ask as never }) }
}

test('what is not sealed is not asked for', async () => {
  const { open, asked } = opener([])
  for (const address of ['https://h.example/', 'https://u:p@h.example/', 'nonsense', ''])
    expect(await open(address)).toBe(address)
  expect(asked).toEqual([])
})

test('what is sealed is asked for once, however many wait for it', async () => {
  const { open, asked } = opener(['https://u:p@h.example/'])
  const opened = await Promise.all([open(sealed), open(sealed)])
  expect([...opened, await open(sealed)]).toEqual(Array(3).fill('https://u:p@h.example/'))
  expect(asked).toEqual([{ address: sealed }])
})

test('a failure is not remembered', async () => {
  const { open } = opener([new AppError('unavailable', 'away'), 'https://u:p@h.example/'])
  await expect(open(sealed)).rejects.toThrow('away')
  expect(await open(sealed)).toBe('https://u:p@h.example/')
})

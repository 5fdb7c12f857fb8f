import { expect, test } from '@jest/globals'
import { type Answer, Answers } from './answers.ts'

const answer = (words: string, more: Partial<Answer> = {}): Answer => ({
  content: Buffer.from(words),
  result: 'ok',
  final: true,
  ...more,
})

test('a request is carried out once, however often it comes', async () => {
  const answers = new Answers()
  let runs = 0
  const work = async () => answer(`run ${(runs += 1)}`)
  const both = await Promise.all([answers.once('r', work), answers.once('r', work)])
  const later = await answers.once('r', work)
  expect([...both, later].map(({ content }) => content.toString())).toEqual(Array(3).fill('run 1'))
})

test('what failed for now is carried out again', async () => {
  const answers = new Answers()
  await answers.once('r', async () => answer('not now', { final: false }))
  expect((await answers.once('r', async () => answer('now'))).content.toString()).toBe('now')
})

test('neither many nor big answers fill the memory: the oldest are forgotten', async () => {
  const answers = new Answers()
  const big = Buffer.alloc(64 * 1024)
  for (let n = 0; n < 300; n += 1)
    await answers.once(`r${n}`, async () => answer('', { content: big }))
  let again: string[] = []
  for (const request of ['r299', 'r0']) {
    await answers.once(request, async () => (again.push(request), answer('again')))
  }
  expect(again).toEqual(['r0'])
  await answers.once('huge', async () => answer('', { content: Buffer.alloc(64 * 1024 + 1) }))
  expect((await answers.once('huge', async () => answer('again'))).content.toString()).toBe('again')
})

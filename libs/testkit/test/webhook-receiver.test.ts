import { afterAll, expect, test } from '@jest/globals'
import { eventually, startWebhookReceiver } from '@posthorn/testkit'

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())

const post = (body: string, signal?: AbortSignal) =>
  fetch(receiver.url, {
    method: 'POST',
    body,
    headers: { 'X-Mixed-Case': 'yes' },
    ...(signal ? { signal } : {}),
  })

test('startWebhookReceiver: records requests unchanged', async () => {
  expect((await post('{"a": 1}')).status).toBe(200)
  expect(receiver.requests.at(-1)).toMatchObject({
    method: 'POST',
    path: '/hook',
    body: Buffer.from('{"a": 1}'),
  })
  expect(receiver.requests.at(-1)?.headers['x-mixed-case']).toBe('yes')
  expect(receiver.requests.at(-1)?.json()).toEqual({ a: 1 })
})

test('startWebhookReceiver: replies from the script, then from the rule', async () => {
  receiver.replyWith((_request, index) => ({ status: 299, body: String(index) }))
  receiver.script({ status: 503, headers: { 'retry-after': '7' } }, { status: 404, body: 'no' })
  const first = await post('x')
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7'])
  expect(await (await post('x')).text()).toBe('no')
  expect((await post('x')).status).toBe(299)
})

test('startWebhookReceiver: drops, hangs or refuses a call and keeps the port', async () => {
  receiver.script({ instead: 'drop' }, { instead: 'hang' })
  await expect(post('x')).rejects.toThrow()
  const stop = new AbortController()
  const hanging = expect(post('x', stop.signal)).rejects.toThrow()
  const dropped = receiver.requests.length
  await eventually(() => expect(receiver.requests).toHaveLength(dropped + 1))
  stop.abort()
  await hanging
  const { url } = receiver
  await receiver.close()
  await expect(post('x')).rejects.toThrow()
  await receiver.open()
  expect(receiver.url).toBe(url)
  expect((await post('x')).status).toBe(299)
})

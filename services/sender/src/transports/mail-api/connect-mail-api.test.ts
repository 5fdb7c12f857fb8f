import { expect, test } from '@jest/globals'
import type { MailApi, MailApiAccess } from '@posthorn/backends/mail-api'
import { connectMailApi, type MailApiDeps } from './connect-mail-api.ts'

test.each([3_600, 50])(
  'login: token for %i s, is requested once for several requests',
  async (left) => {
    let requests = 0
    let access: MailApiAccess | undefined
    const expires = new Date(Date.now() + left * 1_000).toISOString()
    const request = async () => {
      requests += 1
      return { user: 'ann@mail.example', accessToken: 'token', application: 'app', expires }
    }
    const graph = (created: MailApiAccess) => {
      access = created
      return {} as MailApi
    }
    const deps = { mailApis: { graph }, bus: { request }, credentialsMs: 10_000 } as unknown
    const { signal } = new AbortController()
    const target = { account: 'a', backend: 'graph' as const, queueId: 'q' }
    await connectMailApi(deps as MailApiDeps, target, signal)
    for (let count = 0; count < 3; count += 1)
      expect(await access?.login({ fresh: false, signal })).toMatchObject({ accessToken: 'token' })
    expect(requests).toBe(1)
    await access?.login({ fresh: true, signal })
    expect(requests).toBe(2)
  },
)

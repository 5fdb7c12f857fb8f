import { expect, test } from '@jest/globals'
import { startContainerServers, whyNoContainers } from '@posthorn/testkit/containers'
import { runReleaseJobs } from '../own-servers.ts'
import { startWorld } from '../world.ts'

// Official images of Postgres and RabbitMQ, of the newest supported versions.
const reason = await whyNoContainers()
const story = 'containers of Postgres and RabbitMQ: a message is sent, announced and read'

if (reason !== undefined) test.skip(`${story} (skipped: ${reason})`, () => undefined)
else
  test(story, async () => {
    await using servers = await startContainerServers()
    const { ownerUrl, apiUrl } = servers
    await runReleaseJobs({ ownerUrl, rabbit: { api: apiUrl } })
    await using world = await startWorld({ servers })
    const { posthorn } = world
    const [jane, john] = await Promise.all([
      world.connectAccount('jane'),
      world.connectAccount('john'),
    ])
    const { queueId, messageId } = await posthorn.submitMessage({
      account: jane.account,
      body: { to: [{ address: john.address }], subject: 'Container', text: 'Hello John' },
    })
    expect([queueId, messageId]).toEqual([expect.any(String), expect.any(String)])
    const sent = await world.webhook(({ event }) => event === 'messageSent')
    expect(sent.data).toMatchObject({ queueId, messageId })
    const arrived = await world.webhook(
      ({ event, account, data }) =>
        event === 'messageNew' && account === john.account && data.messageId === messageId,
    )
    const message = { account: john.account, message: arrived.data.id }
    expect(await posthorn.getMessage(message)).toMatchObject({ subject: 'Container' })
  })

import { gmailError, GmailFailure } from '../failures.ts'
import type { GmailState, MailboxHandler } from '../gmail-state.ts'
import { projectOf } from '../pubsub/gmail-notifications.ts'

const weekMs = 604_800_000

export function watchHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  return {
    watch: (mailbox, request) => {
      const { address, historyId } = mailbox
      const { topicName: topic = '' } = request.body as { topicName?: string }
      const { project } = gmail.findGrant(request) ?? {}
      if (project !== undefined && projectOf(topic) !== project)
        throw new GmailFailure(
          400,
          'invalidArgument',
          `Invalid topicName does not match projects/${project}/topics/*`,
        )
      const other = gmail.notifications.find(address, projectOf(topic))
      if (other && other.topic !== topic && other.expiresAt > gmail.clock.now)
        throw new GmailFailure(
          400,
          'failedPrecondition',
          'Only one user push notification client allowed per developer (call /stop then try again)',
        )
      const refused = refusedTopic(gmail, topic)
      if (refused) return refused
      const expiresAt = gmail.clock.now + weekMs
      gmail.notifications.start(mailbox, { topic, expiresAt })
      return { body: { historyId: String(historyId), expiration: String(expiresAt) } }
    },
    stop: ({ address }, request) => {
      gmail.notifications.stop(address, gmail.findGrant(request)?.project)
      return {}
    },
  }
}

/**
 * Error of a Pub/Sub topic, if Gmail cannot publish to the topic. Gmail publishes a test message
 * before it starts a watch (registration for notifications).
 */
function refusedTopic({ pubsub }: GmailState, topic: string) {
  const text = `Error sending test message to Cloud PubSub ${topic} : `
  const name = topic.split('/').at(-1) ?? ''
  if (!pubsub.topics.has(topic))
    return gmailError(404, 'notFound', `${text}Resource not found (resource=${name}).`)
  return pubsub.permitsGmail(topic)
    ? undefined
    : gmailError(403, 'forbidden', `${text}User not authorized to perform this action.`)
}

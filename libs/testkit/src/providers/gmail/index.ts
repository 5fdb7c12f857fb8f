export { gmailError, gmailFailures } from './failures.ts'
export { GmailFake, startGmailFake } from './gmail-fake.ts'
export type { FakeSentMessage, GmailSwitches } from './gmail-state.ts'
export { FakePubSub, gmailPublisher, publisherRole } from './pubsub/fake-pubsub.ts'
export {
  type FakeNotification,
  GmailNotifications,
  type NotificationFaults,
} from './pubsub/gmail-notifications.ts'
export { type FakeMessage, GmailMailbox } from './mailbox.ts'

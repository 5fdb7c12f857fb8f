import { startSmtpScript } from '@posthorn/testkit'
import { replyWithCounts } from './counter.ts'

// SMTP server that accepts and counts all messages.
const sink = await startSmtpScript()
sink.behaviour.onData = () => {
  parent.one()
  return undefined
}
const parent = replyWithCounts(sink.port)

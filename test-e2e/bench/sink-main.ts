import { startSmtpScript } from '@posthorn/testkit'
import { answerParent } from './child.ts'

// SMTP server that accepts and counts all messages.
const sink = await startSmtpScript()
sink.behaviour.onData = () => {
  parent.one()
  return undefined
}
const parent = answerParent(sink.port)

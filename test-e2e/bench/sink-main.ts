import { startSmtpScript } from '@posthorn/testkit'
import { answerParent } from './child.ts'

// An SMTP server that takes everything and counts it.
const sink = await startSmtpScript()
sink.behaviour.onData = () => {
  parent.one()
  return undefined
}
const parent = answerParent(sink.port)

import { mechanisms } from '../sasl.ts'
import { goOn, type Answer } from './command.ts'

const offered = [
  'IMAP4rev1',
  'LITERAL+',
  'SASL-IR',
  'ID',
  ...[...mechanisms.keys()].map((mechanism) => `AUTH=${mechanism}`),
].join(' ')

/** RFC 9051 §6.1.1. What one can log in with is told before the login alone. */
export const answerCapability: Answer = ({ client, tag, canStartTls }) => {
  client.write(
    `* CAPABILITY ${offered}${canStartTls ? ' STARTTLS' : ''}`,
    `${tag} OK CAPABILITY completed`,
  )
  return goOn
}

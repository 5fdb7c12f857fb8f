import { goOn, type Answer } from './command.ts'

/** RFC 9051 §6.1.2 */
export const answerNoop: Answer = ({ client, tag }) => {
  client.write(`${tag} OK NOOP completed`)
  return goOn
}

import { goOn, type Answer } from './command.ts'

/** RFC 2971. What the client says of itself is not kept. */
export const answerId: Answer = ({ client, tag }) => {
  client.write('* ID ("name" "Posthorn")', `${tag} OK ID completed`)
  return goOn
}

/** A command that is answered with NO or BAD; the message is what stands behind the tag. */
export class Refusal extends Error {
  override name = 'Refusal'
}

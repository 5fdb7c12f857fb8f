import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

// Commands about one-time codes (RFC 6238) of people at the administration pages, served by
// auth-bridge, the only service that can unseal (decrypt) the seeds of the codes.

const person = Type.String({ minLength: 1, maxLength: 64 })

/**
 * Creates the seed of a person's one-time codes and stores the sealed (encrypted) seed. The reply
 * is the only copy of the seed in plaintext. Replaces a seed that the person has not confirmed.
 */
export const createAdminTotp = defineCommand({
  name: 'createAdminTotp',
  request: Strict({ person }),
  response: Type.Object({
    /** Seed of a person's one-time codes in base32, as authenticator apps read it. */
    seed: Type.String(),
  }),
})

/**
 * Checks a one-time code of a person. The time step of a correct code must be used up by the
 * requester: the command accepts the same code again.
 */
export const checkAdminTotp = defineCommand({
  name: 'checkAdminTotp',
  repeatable: true,
  request: Strict({ person, code: Type.String({ maxLength: 64 }) }),
  response: Type.Object({
    /**
     * Time step (30 s since 1970) to which a person's one-time code belongs. Absent for a wrong
     * code.
     */
    step: Type.Optional(Type.Integer()),
  }),
})

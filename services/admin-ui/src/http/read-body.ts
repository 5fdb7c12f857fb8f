import { check } from '@posthorn/contracts/validate'
import { parseJsonBody, readJsonBytes } from '@posthorn/http'
import type { Request } from 'express'
import type { Static, TSchema } from 'typebox'

/**
 * Maximum size in bytes of a JSON request body. Names, passwords and responses of passkeys are
 * below 16 KiB.
 */
const maxBodyBytes = 64 * 1024
const maxBodyValues = 1_000

/**
 * Reads the JSON body of a request to an endpoint of admin-ui. A missing body is an empty object.
 *
 * @throws AppError `invalid` for a body that does not conform to the schema; BodyError for a body
 * that is too large or incomplete
 */
export async function readJsonBody<S extends TSchema>(
  request: Request,
  schema: S,
): Promise<Static<S>> {
  const bytes = await readJsonBytes(request, maxBodyBytes)
  return check(schema, bytes === undefined ? {} : parseJsonBody(bytes, maxBodyValues))
}

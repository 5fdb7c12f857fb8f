import { AppError, errorToWire, type WireError } from '@posthorn/errors'
import { serveRequests } from '@posthorn/flow'
import { getReading, type ReadingInput, type ReadingName } from './readings.ts'

export interface ReadRequest {
  name: ReadingName
  input: ReadingInput<ReadingName>
}

/**
 * Result of reading a part of a message or request in a reader process, or the AppError that the
 * reading function threw.
 */
export type ReadResponse = { output: unknown } | { error: WireError }

await serveRequests(() => async ({ name, input }: ReadRequest): Promise<ReadResponse> => {
  try {
    return { output: await getReading(name).read(input) }
  } catch (error) {
    if (error instanceof AppError) return { error: errorToWire(error) }
    throw error
  }
})

import { serveRequests } from '@posthorn/flow'
import { getReading, type ReadingInput, type ReadingName } from './readings.ts'

export interface ReadRequest {
  name: ReadingName
  input: ReadingInput<ReadingName>
}

await serveRequests(
  () =>
    ({ name, input }: ReadRequest) =>
      getReading(name).read(input),
)

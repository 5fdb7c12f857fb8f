export {
  type Bus,
  type CommandContext,
  type CommandHandler,
  type CommandServer,
  type ConsumeOptions,
  type Delivery,
  type NotifyOptions,
  on,
  type RpcOptions,
  type ServeOptions,
  type StreamedReply,
} from './bus.ts'
export { connectBus, type ConnectOptions } from './connect.ts'
export { UnroutedError } from './rpc/frames.ts'
export { type SharedQueue, type WorkQueue } from './topology.ts'

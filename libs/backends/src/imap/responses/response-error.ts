/** Error that ends the connection, with a code as in imapflow. */
export function responseError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

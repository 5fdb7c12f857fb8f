import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Moves the focus to `target` if the calling component is removed together with the focused
 * element. Without the move, the browser continues at the beginning of the page. Does nothing if
 * another element has the focus, or if `target` is removed too.
 */
export function useFocusReturn(target: RefObject<HTMLElement | null>): void {
  const isMounted = useRef(false)
  useLayoutEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
      // The cleanup runs before the elements are removed, and the microtask runs afterwards.
      // During development, React also runs the cleanup of components that stay.
      queueMicrotask(() => {
        if (!isMounted.current && document.activeElement === document.body)
          target.current?.focus({ preventScroll: true })
      })
    }
  }, [target])
}

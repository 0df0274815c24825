// A pause between two questions. Nobody looks at a page that is hidden: it waits until it is seen again.

/** {done, wake()}: a promise that is kept after so many milliseconds, or when it is woken. */
export function startPause(millis) {
  let wake;
  const done = new Promise((resolve) => {
    const visible = () => {
      if (!document.hidden) {
        document.removeEventListener('visibilitychange', visible);
        resolve();
      }
    };
    const timer = setTimeout(() => {
      document.addEventListener('visibilitychange', visible);
      visible();
    }, millis);
    wake = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', visible);
      resolve();
    };
  });
  return { done, wake };
}

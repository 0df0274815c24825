// Pauses between two requests. On a hidden page a pause lasts until the page is visible again.

/** {done, wake()}: `done` is a promise that resolves after the milliseconds, or when `wake` is called. */
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

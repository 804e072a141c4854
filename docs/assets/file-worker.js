// A stand-in for Worker on pages opened from file://, where browsers start none:
// the same script in a hidden frame, with messages passed on in both directions.

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #inside = null;
    #waiting = [];

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        this.onmessage?.(message);
        this.dispatchEvent(message);
      });
      const script = inside.document.createElement("script");
      script.src = new URL(url, location).href;
      script.onload = () => {
        this.#inside = inside;
        this.#waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      script.onerror = () => this.dispatchEvent(new Event("error"));
      inside.document.head.append(script);
    }

    postMessage(data) {
      if (!this.#inside) return void this.#waiting.push(data);
      const message = new this.#inside.MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => {
        this.#inside.onmessage?.(message);
        this.#inside.dispatchEvent(message);
      });
    }
  };
}

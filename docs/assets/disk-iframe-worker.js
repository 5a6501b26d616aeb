// Search on a page that was opened from a disk: browsers give such a page no Worker, so the script
// of the worker runs in a hidden frame, and messages are handed over as events. The theme's own
// stand-in would be loaded from another site; it is left out because this file's name has
// "iframe-worker" in it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = done;
        script.onerror = failed;
        this.inside.document.head.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })),
      );
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}

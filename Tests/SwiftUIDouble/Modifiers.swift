import Foundation
import UniformTypeIdentifiers

/// A view that draws another one in its own way.
struct Modified<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  let render: @MainActor (Content, Place) -> [Node]

  nonisolated init(_ content: Content, _ render: @escaping @MainActor (Content, Place) -> [Node]) {
    (self.content, self.render) = (content, render)
  }

  func draw(in place: Place) -> [Node] { render(content, place) }
}

extension View {
  /// A box around the view.
  nonisolated private func boxed(_ set: @escaping @MainActor (Node) -> Void) -> some View {
    Modified(self) { view, place in
      let box = Node(.box, view.nodes(in: place))
      set(box)
      return [box]
    }
  }

  nonisolated private func styled(_ style: String...) -> some View { boxed { $0.style = style } }

  /// Something beside the view: a menu, a title.
  nonisolated private func beside<Other: View>(_ kind: Node.Kind, _ other: Other) -> some View {
    nonisolated(unsafe) let other = other
    return Modified(self) { view, place in
      [Node(.box, view.nodes(in: place) + [Node(kind, other.nodes(at: .part(kind.rawValue), in: place))])]
    }
  }
}

// The actions of a view.
extension View {
  nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      if place.slot.memory == nil {
        place.slot.memory = true
        place.window.afterUpdate(of: place.slot) { action?() }
      }
      return view.nodes(in: place)
    }
  }

  nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      place.slot.onRemoval = [{ action?() }]
      return view.nodes(in: place)
    }
  }

  /// Begins when the view appears, and is cancelled when it goes
  /// (https://developer.apple.com/documentation/swiftui/view/task(priority:_:)).
  nonisolated public func task(
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    let action = TaskAction(run: action)
    return Modified(self) { view, place in
      if place.slot.memory == nil {
        place.slot.memory = true
        let (slot, window) = (place.slot, place.window)
        window.afterUpdate(of: slot) {
          let task = Task { await action.run() }
          slot.onRemoval.append { task.cancel() }
        }
      }
      return view.nodes(in: place)
    }
  }

  nonisolated public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
  ) -> some View {
    nonisolated(unsafe) let (value, action) = (value, action)
    return Modified(self) { view, place in
      let old = place.slot.memory as? V
      place.slot.memory = value
      if let old, old != value {
        place.window.afterUpdate(of: place.slot) { action(old, value) }
      } else if old == nil, initial {
        place.window.afterUpdate(of: place.slot) { action(value, value) }
      }
      return view.nodes(in: place)
    }
  }

  nonisolated public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View {
    onChange(of: value, initial: initial) { _, _ in action() }
  }

  nonisolated public func focused(_ condition: FocusState<Bool>.Binding) -> some View {
    let state = condition.state
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      for field in nodes.flatMap({ $0.all([.field]) }) { field.focus = { state.wrappedValue = $0 } }
      return nodes
    }
  }

  nonisolated public func onKeyPress(
    keys: Set<KeyEquivalent>, phases: KeyPress.Phases, action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      for field in nodes.flatMap({ $0.all([.field]) }) { field.pressReturn = action }
      return nodes
    }
  }

  nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      place.window.opensURL = action
      return view.nodes(in: place)
    }
  }

  nonisolated public func onContinueUserActivity(
    _ activityType: String, perform action: @escaping (NSUserActivity) -> Void
  ) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      place.window.proceeds[activityType] = action
      return view.nodes(in: place)
    }
  }

  /// An activity without an element is not offered.
  nonisolated public func userActivity<P>(
    _ activityType: String, element: P?, _ update: @escaping (P, NSUserActivity) -> Void
  ) -> some View {
    nonisolated(unsafe) let (element, update) = (element, update)
    return Modified(self) { view, place in
      if let element {
        let activity = NSUserActivity(activityType: activityType)
        update(element, activity)
        place.window.activity = activity
      }
      return view.nodes(in: place)
    }
  }

  nonisolated public func id<ID: Hashable>(_ id: ID) -> some View {
    nonisolated(unsafe) let id = AnyHashable(id)
    return Modified(self) { view, place in
      let nodes = view.nodes(at: .id(id), in: place)
      nodes.first?.identity = id
      return nodes
    }
  }

  /// A scroll ends at once here.
  nonisolated public func onScrollPhaseChange(_ action: @escaping (ScrollPhase, ScrollPhase) -> Void)
    -> some View
  {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      place.scroller?.watchRest(place.slot) {
        action(.idle, .interacting)
        action(.interacting, .idle)
      }
      return nodes
    }
  }

  /// The views of this layout are the scroll targets.
  nonisolated public func scrollTargetLayout() -> some View { self }

  /// Reports the visible views, whenever they change.
  nonisolated public func onScrollTargetVisibilityChange<ID: Hashable>(
    idType: ID.Type, threshold: Double = 0.5, _ action: @escaping ([ID]) -> Void
  ) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      if let scroller = place.scroller {
        let slot = place.slot
        scroller.watch(slot, in: place.window) {
          let seen = scroller.visible(threshold).compactMap { $0.base as? ID }
          guard slot.memory as? [ID] != seen else { return }
          slot.memory = seen
          action(seen)
        }
      }
      return nodes
    }
  }

  /// Reports a measure of the view once it is placed, and whenever it changes.
  nonisolated public func onGeometryChange<T: Equatable & Sendable>(
    for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T,
    action: @escaping (_ newValue: T) -> Void
  ) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      if let scroller = place.scroller {
        let slot = place.slot
        scroller.watch(slot, in: place.window) {
          guard let frame = nodes.first.flatMap(scroller.frame) else { return }
          let new = transform(GeometryProxy(frame: frame, scroller: scroller.geometry.visibleRect))
          guard slot.memory as? T != new else { return }
          slot.memory = new
          action(new)
        }
      }
      return nodes
    }
  }

  /// Reports a measure of the content once it is placed, and whenever it changes.
  nonisolated public func onScrollGeometryChange<T: Equatable>(
    for type: T.Type, of transform: @escaping (ScrollGeometry) -> T,
    action: @escaping (_ oldValue: T, _ newValue: T) -> Void
  ) -> some View {
    nonisolated(unsafe) let (transform, action) = (transform, action)
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      if let scroller = place.scroller {
        let slot = place.slot
        scroller.watch(slot, in: place.window) {
          let new = transform(scroller.geometry)
          let old = slot.memory as? T
          slot.memory = new
          if old != new { action(old ?? new, new) }
        }
      }
      return nodes
    }
  }
}

struct TaskAction: @unchecked Sendable {
  let run: @isolated(any) () async -> Void
}

// Views that cover a screen, or are beside it.
extension View {
  nonisolated public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View {
    nonisolated(unsafe) let (item, content) = (item, content)
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      guard let shown = item.wrappedValue else { return nodes }
      // Another item is another sheet.
      let sheet = Node(.sheet, content(shown).nodes(at: .id(AnyHashable(shown.id)), in: place)) {
        $0.close = { item.wrappedValue = nil }
      }
      return nodes + [sheet]
    }
  }

  nonisolated public func sheet<Content: View>(
    isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    nonisolated(unsafe) let content = content
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      guard isPresented.wrappedValue else { return nodes }
      let sheet = Node(.sheet, content().nodes(at: .part("sheet"), in: place)) {
        $0.close = { isPresented.wrappedValue = false }
      }
      return nodes + [sheet]
    }
  }

  /// A button's action runs, and then the alert is dismissed
  /// (https://developer.apple.com/documentation/swiftui/view/alert(_:ispresented:presenting:actions:message:)-8584l).
  nonisolated public func alert<A: View, M: View, T>(
    _ title: Text, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A,
    @ViewBuilder message: (T) -> M
  ) -> some View {
    nonisolated(unsafe) let parts = data.map { (actions($0), message($0)) }
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      guard isPresented.wrappedValue, let (actions, message) = parts else { return nodes }
      let controls = actions.nodes(at: .part("actions"), in: place).flatMap { $0.all([.button, .field]) }
      for button in controls where button.kind == .button {
        let act = button.act
        button.act = {
          act?()
          isPresented.wrappedValue = false
        }
      }
      let words = title.nodes(at: .part("title"), in: place) + message.nodes(at: .part("message"), in: place)
      return nodes + [Node(.alert, words + controls) { $0.close = { isPresented.wrappedValue = false } }]
    }
  }

  /// The picked files are reported once the dialog has closed.
  nonisolated public func fileImporter(
    isPresented: Binding<Bool>, allowedContentTypes: [UTType], allowsMultipleSelection: Bool,
    onCompletion: @escaping (Result<[URL], any Error>) -> Void
  ) -> some View {
    nonisolated(unsafe) let onCompletion = onCompletion
    return Modified(self) { view, place in
      let nodes = view.nodes(in: place)
      guard isPresented.wrappedValue else { return nodes }
      return nodes + [
        Node(.picker) { picker in
          picker.close = { isPresented.wrappedValue = false }
          picker.pick = { files in
            isPresented.wrappedValue = false
            onCompletion(.success(files))
          }
        }
      ]
    }
  }

  nonisolated public func contextMenu<MenuItems: View>(@ViewBuilder menuItems: () -> MenuItems) -> some View {
    beside(.menu, menuItems())
  }

  nonisolated public func swipeActions<T: View>(
    edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
  ) -> some View { beside(.swipe, content()) }

  nonisolated public func navigationTitle(_ title: Text) -> some View { beside(.header, title) }

  nonisolated public func searchable(text: Binding<String>, prompt: Text? = nil) -> some View {
    return Modified(self) { view, place in
      let field = Node(.field) { node in
        (node.name, node.text) = (prompt?.content ?? "Search", text.wrappedValue)
        node.style = ["margin:8px 16px"]
        node.write = { text.wrappedValue = $0 }
      }
      return [Node(.box, [field] + view.nodes(in: place)) { $0.style = ["flex:1"] }]
    }
  }
}

// The output of assistive technologies.
extension View {
  nonisolated public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
    boxed { $0.isCombined = children != .contain }
  }

  nonisolated public func accessibilityLabel(_ label: Text) -> some View {
    boxed { $0.label = label.content }
  }

  nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
    boxed { $0.isHeading = traits.contains(.isHeader) }
  }

  nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { boxed { $0.isHidden = hidden } }
}

// Appearance.
extension View {
  nonisolated public func disabled(_ disabled: Bool) -> some View {
    Modified(self) { view, place in
      var inner = place
      inner.isEnabled = place.isEnabled && !disabled
      return view.nodes(in: inner)
    }
  }

  nonisolated public func tag<V: Hashable>(_ tag: V) -> some View {
    nonisolated(unsafe) let tag = AnyHashable(tag)
    return boxed { $0.tag = tag }
  }

  nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
    let length = Int(length ?? 16)
    return styled(
      edges.contains(.leading) ? "padding-inline-start:\(length)px" : "",
      edges.contains(.trailing) ? "padding-inline-end:\(length)px" : "",
      edges.contains(.vertical) ? "padding-block:\(length)px" : "")
  }

  nonisolated public func padding(_ length: CGFloat) -> some View { padding(.all, length) }

  nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
  nonisolated public func transition(_ t: AnyTransition) -> some View { self }
  nonisolated public func menuIndicator(_ visibility: Visibility) -> some View { self }
  nonisolated public func menuStyle<S: MenuStyle>(_ style: S) -> some View { self }
  /// A plain button has the colours of its label.
  nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
    styled("color:var(--ink)")
  }

  nonisolated public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
  nonisolated public func scaledToFit() -> some View { self }

  nonisolated public func frame(
    maxWidth: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
  ) -> some View {
    boxed { box in
      guard maxWidth == .infinity else {
        box.style = [
          maxWidth.map { "max-width:\(Int($0))px" } ?? "", maxHeight.map { "max-height:\(Int($0))px" } ?? "",
          "overflow:hidden",
        ]
        return
      }
      box.name = "fill"
      box.style = ["align-items:\(alignment.name)"]
    }
  }

  nonisolated public func gridColumnAlignment(_ guide: HorizontalAlignment) -> some View { self }

  nonisolated public func lineLimit(_ number: Int?) -> some View {
    styled(
      number.map {
        "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:\($0);overflow:hidden"
      } ?? "")
  }

  nonisolated public func lineLimit(_ limit: ClosedRange<Int>) -> some View {
    styled("max-height:calc(var(--text)*1.3*\(limit.upperBound) + 16px);overflow:hidden")
  }

  nonisolated public func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
    boxed { $0.name = "\(alignment)-text" }
  }

  nonisolated public func font(_ font: Font?) -> some View { styled(font?.css ?? "") }
  nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View {
    styled("color:\(style.css)")
  }
  nonisolated public func background<S: ShapeStyle>(_ style: S) -> some View {
    styled("background:\(style.css)")
  }

  nonisolated public func background<S: ShapeStyle, T: Shape>(_ style: S, in shape: T) -> some View {
    styled("background:\(style.css)", shape.css)
  }
}

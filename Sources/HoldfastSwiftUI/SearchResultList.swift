#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The messages that a search has found, those on the server among them.
  ///
  /// ```swift
  /// SearchResultList(search) { hit in open(ChatPlace(hit.conversation, message: hit.id)) }
  ///   .searchable(text: $search.query)   // a SearchModel whose run() runs
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct SearchResultList: View {
    private let search: SearchModel
    private let open: @MainActor (SearchSnapshot.Hit) -> Void

    /// - Parameters:
    ///   - search: the search, whose `run()` runs.
    ///   - open: called when a message is chosen.
    public init(_ search: SearchModel, open: @escaping @MainActor (SearchSnapshot.Hit) -> Void) {
      (self.search, self.open) = (search, open)
    }

    public var body: some View {
      List {
        if search.isLoading { ProgressView() }
        if let words = search.problem?.message ?? search.snapshot.note {
          Text(verbatim: words).foregroundStyle(.secondary)
        }
        ForEach(search.snapshot.hits) { hit in
          Button {
            open(hit)
          } label: {
            VStack(alignment: .leading) {
              Text(verbatim: hit.title).font(.headline).lineLimit(1)
              Text(verbatim: "\(hit.senderName): \(hit.excerpt.text)").font(.subheadline).lineLimit(2)
              if hit.isOnServer {
                Text(verbatim: search.client.text(.onServer)).font(.caption).foregroundStyle(.secondary)
              }
            }
            .foregroundStyle(.primary)
          }
        }
        if let words = search.snapshot.serverNote {
          Text(verbatim: words).foregroundStyle(.secondary)
        }
        if case .failed = search.snapshot.server {
          Button(search.client.label(.retry)) { search.retry() }
        }
        if search.snapshot.hasMore {
          Button(search.client.label(.earlierMessages)) { search.loadMore() }
        }
      }
    }
  }
#endif
